echo model,kind,coordinate,band,harm,se,n > harm.csv
$hlg harm fit harm.csv

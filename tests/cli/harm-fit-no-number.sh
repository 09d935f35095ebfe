printf 'model,kind,coordinate,band,harm,se,n\nm,any,z_top,-1,much,0.1,300\n' > harm.csv
$hlg harm fit harm.csv
